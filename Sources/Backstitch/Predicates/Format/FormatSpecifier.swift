/// A placeholder of the format, filled by an argument.
struct FormatSpecifier: Hashable {
    /// The kinds of arguments for a placeholder.
    enum Kind { case any, keyPath, integer, floating }

    /// The placeholder as written, for example `%@`.
    let text: String
    /// The kind of argument that fits the placeholder.
    let kind: Kind
}
