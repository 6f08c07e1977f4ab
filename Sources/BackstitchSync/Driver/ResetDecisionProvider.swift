import Backstitch
import BackstitchSupport
import CloudWire

/// Decides about resets: by the policy, or once by an action that the program has named.
final class ResetDecisionProvider: Sendable {
    private let policy: SyncResetPolicy
    private let word = Locked<SyncResetAction?>(nil)

    init(_ policy: SyncResetPolicy) { self.policy = policy }

    /// Uses `action` for the next reset.
    func say(_ action: SyncResetAction) { word.withLock { $0 = action } }

    func action(for reset: SyncReset) async -> SyncResetAction {
        let said = word.withLock { word in
            defer { word = nil }
            return word
        }
        if let said { return said }
        return await policy.action(reset)
    }
}
