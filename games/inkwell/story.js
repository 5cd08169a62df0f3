// The rooms as data: what they look like, where their doors lead, what lies in them.
var HOUSE = {
  hall: { name: 'The hall', text: 'Coats hang in a row like patient guests. A tall clock stands against the wall, its hands still. Doors lead north and east; the stairs go up.', exits: { north: 'kitchen', east: 'workshop', up: 'attic' } },
  kitchen: { name: 'The kitchen', text: 'A cold stove, a shelf of jars, a bread knife stuck in the board as if to mark a page. The hall is south; a low door goes down.', exits: { south: 'hall', down: 'cellar' } },
  workshop: { name: 'The workshop', text: 'Hundreds of small brass wheels lie sorted in trays. On the wall someone has chalked a time, twice underlined. The hall is west.', exits: { west: 'hall' } },
  attic: { name: 'The attic', text: 'Dust turns in the light of the lamp. A rocking horse looks at you sideways. The stairs go down.', exits: { down: 'hall' } },
  cellar: { name: 'The cellar', text: 'Barrels, and the smell of apples. Something drips. The kitchen is up.', exits: { up: 'kitchen' } }
};
var THINGS = {
  key: 'a brass key with a head like a clover leaf',
  oil: 'a can of lamp oil',
  apple: 'a wrinkled apple'
};
