import Backstitch

class SimulatedRoom: ManagedObject {}
