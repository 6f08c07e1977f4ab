import BackstitchSQLite
import BackstitchTestKit

/// Earlier states of a disk's content. A power cut may restore one of them.
///
/// A store under `synchronous=NORMAL` keeps a prefix of its commits at a power cut. It keeps all commits up to the last
/// sync of its log. Of the later commits it keeps as many as the disk has written, never one without its predecessors.
/// Therefore some states since the last sync are kept here.
final class UnsyncedStates {
    private var kept: [(commit: Int, state: SQLiteState)] = []
    private var random: SeededGenerator
    private let materials: Materials

    private static let most = 4

    init(seed: UInt64, _ materials: Materials) {
        random = SeededGenerator(seed: seed)
        self.materials = materials
    }

    /// Called after a commit of the store. Sometimes the log is synced, as at a checkpoint.
    func committed(_ commit: Int, of store: SQLiteStore) throws {
        if chance(50) { return try sync(commit, of: store) }
        guard chance(350) else { return }
        if kept.count == Self.most {
            materials.take(kept.remove(at: Int.random(in: 0..<kept.count, using: &random)).state)
        }
        try keep(commit, of: store)
    }

    /// Called when all commits are on the disk. The next power cut may leave just this state.
    func sync(_ commit: Int, of store: SQLiteStore) throws {
        clear()
        try keep(commit, of: store)
    }

    /// Forgets all states, since no power cut restores them any more.
    func clear() {
        for (_, state) in kept { materials.take(state) }
        kept = []
    }

    private func keep(_ commit: Int, of store: SQLiteStore) throws {
        let state = try materials.state()
        try store.copy(to: state)
        kept.append((commit, state))
    }

    /// The state after a power cut, with the number of its commit; nil for the present state.
    func chosen() -> (commit: Int, state: SQLiteState)? {
        let place = Int.random(in: 0...kept.count, using: &random)
        return place == kept.count ? nil : kept[place]
    }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<1_000, using: &random) < count }
}
