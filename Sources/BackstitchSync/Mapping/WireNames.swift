import Backstitch

/// The names of entities or properties in records. Each keeps its first name, unless another one has that name now.
struct WireNames: Sendable {
    private var earlier: [String: String] = [:]

    /// - Parameter names: Each name with the first name of the same entity or property; no two first names are equal.
    init(_ names: [(name: String, earlier: String?)]) {
        var renamed = names.filter { $0.earlier != nil }
        var taken = Set(names.filter { $0.earlier == nil }.map(\.name))
        // An entity or property that cannot have its first name uses its present one; no other one can use that then.
        while let position = renamed.firstIndex(where: { taken.contains($0.earlier ?? "") }) {
            taken.insert(renamed.remove(at: position).name)
        }
        for (name, first) in renamed { earlier[name] = first }
    }

    subscript(name: String) -> String { earlier[name] ?? name }
}
