import Backstitch

class SimulatedNotice: ManagedObject {}
