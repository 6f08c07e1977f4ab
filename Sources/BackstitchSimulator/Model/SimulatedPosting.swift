import Backstitch

class SimulatedPosting: ManagedObject {}
