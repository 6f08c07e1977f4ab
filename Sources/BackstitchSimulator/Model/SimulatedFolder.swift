import Backstitch

class SimulatedFolder: ManagedObject {}
