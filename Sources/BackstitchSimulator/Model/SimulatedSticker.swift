import Backstitch

class SimulatedSticker: ManagedObject {}
