import Backstitch

class SimulatedChair: ManagedObject {}
