import Backstitch

/// The names that entities or properties have in records: those that they had first, unless something else has such a
/// name now.
struct WireNames: Sendable {
    private var earlier: [String: String] = [:]

    /// - Parameter names: Each name with the one that it had first; no two had the same.
    init(_ names: [(name: String, earlier: String?)]) {
        var renamed = names.filter { $0.earlier != nil }
        var taken = Set(names.filter { $0.earlier == nil }.map(\.name))
        // An entity or property that cannot have its first name keeps its own, which no other can have then.
        while let position = renamed.firstIndex(where: { taken.contains($0.earlier ?? "") }) {
            taken.insert(renamed.remove(at: position).name)
        }
        for (name, first) in renamed { earlier[name] = first }
    }

    subscript(name: String) -> String { earlier[name] ?? name }
}
