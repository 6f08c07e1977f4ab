import Backstitch

class SimulatedAuthor: ManagedObject {}
