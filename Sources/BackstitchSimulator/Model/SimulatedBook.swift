import Backstitch

class SimulatedBook: ManagedObject {}
