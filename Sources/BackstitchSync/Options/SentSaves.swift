import Backstitch

/// Which saves go to the server, by their authors and contexts.
struct SentSaves: Sendable {
    /// Whether any are told apart; else all are sent.
    private let isGiven: Bool
    private let authors: Set<String>, contextNames: Set<String>

    /// As ``Backstitch/StoreOption/syncAuthors`` and ``Backstitch/StoreOption/syncContextNames`` say.
    init(_ options: StoreOptions) {
        let named = [StoreOption.syncAuthors, .syncContextNames].map { options.value($0, as: [String].self) }
        isGiven = named.contains { $0 != nil }
        (authors, contextNames) = (Set(named[0] ?? []), Set(named[1] ?? []))
    }

    /// Whether the options are given and name nobody.
    var isEmpty: Bool { isGiven && authors.isEmpty && contextNames.isEmpty }

    /// An author, or else the name of a context, whose saves are sent; nil for both where all are.
    var sender: (author: String?, contextName: String?) {
        (authors.min(), authors.isEmpty ? contextNames.min() : nil)
    }

    /// Whether a save stays on this device.
    func hold(author: String?, contextName: String?) -> Bool {
        isGiven && !(author.map(authors.contains) ?? false) && !(contextName.map(contextNames.contains) ?? false)
    }
}
