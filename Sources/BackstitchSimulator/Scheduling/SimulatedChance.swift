import Backstitch
import BackstitchServer
import BackstitchSupport
import BackstitchSync
import BackstitchTestKit

/// The random numbers of one machine of a world.
final class SimulatedChance: ServerRandom {
    private let generator: Locked<SeededGenerator>

    init(seed: UInt64) { generator = Locked(SeededGenerator(seed: seed)) }

    func bytes(_ count: Int) -> [UInt8] {
        generator.withLock { generator in (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 32) } }
    }
}
