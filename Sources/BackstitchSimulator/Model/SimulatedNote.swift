import Backstitch

class SimulatedNote: ManagedObject {}
