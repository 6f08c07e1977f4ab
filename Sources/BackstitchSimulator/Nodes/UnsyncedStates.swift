import BackstitchSQLite
import BackstitchTestKit

/// Earlier states of a disk's content to which a power cut may bring it back.
///
/// A store under `synchronous=NORMAL` keeps a prefix of its commits at a power cut: all those up to the last sync of
/// its log, and of the later ones as many as the disk has come to write, never one without those before it. So some
/// states since the last sync are kept here.
final class UnsyncedStates {
    private var kept: [(commit: Int, state: SQLiteState)] = []
    private var random: SeededGenerator
    private let materials: Materials

    private static let most = 4

    init(seed: UInt64, _ materials: Materials) {
        random = SeededGenerator(seed: seed)
        self.materials = materials
    }

    /// The store has committed once more. Now and then its log is synced, as when it is moved into the file.
    func committed(_ commit: Int, of store: SQLiteStore) throws {
        if chance(50) { return try sync(commit, of: store) }
        guard chance(350) else { return }
        if kept.count == Self.most {
            materials.take(kept.remove(at: Int.random(in: 0..<kept.count, using: &random)).state)
        }
        try keep(commit, of: store)
    }

    /// All that is committed is on the disk, and the next power cut may leave just that.
    func sync(_ commit: Int, of store: SQLiteStore) throws {
        clear()
        try keep(commit, of: store)
    }

    /// Forgets all states, since no power cut brings them back any more.
    func clear() {
        for (_, state) in kept { materials.take(state) }
        kept = []
    }

    private func keep(_ commit: Int, of store: SQLiteStore) throws {
        let state = try materials.state()
        try store.copy(to: state)
        kept.append((commit, state))
    }

    /// The state that a power cut leaves, with the number of its commit; nil for the present one.
    func chosen() -> (commit: Int, state: SQLiteState)? {
        let place = Int.random(in: 0...kept.count, using: &random)
        return place == kept.count ? nil : kept[place]
    }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<1_000, using: &random) < count }
}
