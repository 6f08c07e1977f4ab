import Backstitch

class SimulatedTag: ManagedObject {}
