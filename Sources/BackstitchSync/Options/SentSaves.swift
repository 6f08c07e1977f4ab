import Backstitch

/// Decides by authors and contexts which saves are sent to the server.
struct SentSaves: Sendable {
    /// Whether saves are distinguished; otherwise all are sent.
    private let isGiven: Bool
    private let authors: Set<String>, contextNames: Set<String>

    /// Reads ``Backstitch/StoreOption/syncAuthors`` and ``Backstitch/StoreOption/syncContextNames``.
    init(_ options: StoreOptions) {
        let named = [StoreOption.syncAuthors, .syncContextNames].map { options.value($0, as: [String].self) }
        isGiven = named.contains { $0 != nil }
        (authors, contextNames) = (Set(named[0] ?? []), Set(named[1] ?? []))
    }

    /// Whether the options are given and empty.
    var isEmpty: Bool { isGiven && authors.isEmpty && contextNames.isEmpty }

    /// An author, or otherwise the name of a context, whose saves are sent; both are nil if all saves are sent.
    var sender: (author: String?, contextName: String?) {
        (authors.min(), authors.isEmpty ? contextNames.min() : nil)
    }

    /// Returns whether a save stays on this device.
    func hold(author: String?, contextName: String?) -> Bool {
        isGiven && !(author.map(authors.contains) ?? false) && !(contextName.map(contextNames.contains) ?? false)
    }
}
