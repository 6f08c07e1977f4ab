import BackstitchSupport

/// The mailboxes of all living contexts.
final class ChangeListeners: Sendable {
    private struct Entry { weak var mailbox: ChangeMailbox? }
    private let entries = Locked<[Entry]>([])

    func add(_ mailbox: ChangeMailbox) {
        entries.withLock { entries in
            entries.removeAll { $0.mailbox == nil }
            entries.append(Entry(mailbox: mailbox))
        }
    }

    func tell(_ changes: StoreChanges, except sender: ChangeMailbox?) {
        guard !changes.isEmpty else { return }
        for mailbox in entries.withLock({ $0.compactMap(\.mailbox) }) where mailbox !== sender { mailbox.put(changes) }
    }
}
