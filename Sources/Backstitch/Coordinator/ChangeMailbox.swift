import BackstitchSupport

/// Keeps changes made elsewhere until the context takes them.
final class ChangeMailbox: Sendable {
    private let waiting = Locked<StoreChanges?>(nil)
    private let notify: @Sendable () -> Void

    /// - Parameter notify: Called after changes were put into an empty mailbox. It may have the context take them at
    ///   once.
    init(notify: @escaping @Sendable () -> Void = {}) { self.notify = notify }

    func put(_ changes: StoreChanges) {
        let wasEmpty = waiting.withLock { waiting in
            defer { if waiting == nil { waiting = changes } else { waiting?.merge(changes) } }
            return waiting == nil
        }
        if wasEmpty { notify() }
    }

    /// Whether no changes wait.
    var isEmpty: Bool { waiting.withLock { $0 == nil } }

    /// Returns the changes that were added since the last call; nil for none.
    func take() -> StoreChanges? {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
    }
}
