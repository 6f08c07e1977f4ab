import Backstitch

class SimulatedItem: ManagedObject {}
