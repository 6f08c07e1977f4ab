import Backstitch

/// Which saves go to the server, by their authors and contexts.
struct SentSaves: Sendable {
    /// The names; nil for each where the option is not given.
    private let authors: Set<String>?, contextNames: Set<String>?

    /// As ``Backstitch/StoreOption/syncAuthors`` and ``Backstitch/StoreOption/syncContextNames`` say.
    init(_ options: StoreOptions) {
        authors = options.value(.syncAuthors, as: [String].self).map(Set.init)
        contextNames = options.value(.syncContextNames, as: [String].self).map(Set.init)
    }

    /// Whether the options are given and name nobody.
    var isEmpty: Bool {
        (authors != nil || contextNames != nil) && (authors ?? []).isEmpty && (contextNames ?? []).isEmpty
    }

    /// Whether a save stays on this device.
    func hold(author: String?, contextName: String?) -> Bool {
        if authors == nil, contextNames == nil { return false }
        let isNamed = author.map { authors?.contains($0) == true } ?? false
        return !isNamed && contextName.map { contextNames?.contains($0) == true } != true
    }
}
