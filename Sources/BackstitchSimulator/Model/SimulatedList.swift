import Backstitch

class SimulatedList: ManagedObject {}
