import Backstitch

class SimulatedRegister: ManagedObject {}
