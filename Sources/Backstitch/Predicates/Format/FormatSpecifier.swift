/// A place that an argument fills.
struct FormatSpecifier: Hashable {
    /// The arguments that fit.
    enum Kind { case any, keyPath, integer, floating }

    /// As it is written: `%@`.
    let text: String
    /// The arguments that fit.
    let kind: Kind
}
