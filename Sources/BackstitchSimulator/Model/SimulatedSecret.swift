import Backstitch

class SimulatedSecret: ManagedObject {}
