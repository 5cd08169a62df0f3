package model

// Direct is the model as a run: itself when it is one, and otherwise behind a
// gateway of its own, with no budget, because the gateway is what checks and
// repairs structured answers. No model is ErrNoModel.
func Direct(m Model) (*Run, error) {
	switch m := m.(type) {
	case nil:
		return nil, ErrNoModel
	case *Run:
		if m == nil {
			return nil, ErrNoModel
		}
		return m, nil
	}
	g, err := NewGateway([]Model{m}, nil)
	if err != nil {
		return nil, err
	}
	return g.Run(nil), nil
}
