import Backstitch

class SimulatedShelf: ManagedObject {}
