/// How two values are compared in an order, by the names of the methods that `NSSortDescriptor` takes.
///
/// ```swift
/// FetchSortDescriptor("folder.name", comparator: .localizedStandardCompare)
/// ```
/// The order of localized comparators is the same in every locale and every store: letters by ``FetchTextOptions``,
/// without case and marks. Values that one descriptor leaves equal are ordered by the next.
public enum FetchComparator: String, Sendable, Hashable, CaseIterable {
    /// By value; text by its UTF-8 bytes.
    case compare
    /// Text without case.
    case caseInsensitiveCompare
    /// Text without case and marks.
    case localizedCompare
    /// Text without case and marks.
    case localizedCaseInsensitiveCompare
    /// Text without case and marks, numbers in it by value, as file managers show names.
    case localizedStandardCompare

    /// How text is folded for it.
    public var options: FetchTextOptions {
        switch self {
        case .compare: []
        case .caseInsensitiveCompare: .caseInsensitive
        case .localizedCompare, .localizedCaseInsensitiveCompare: [.caseInsensitive, .diacriticInsensitive]
        case .localizedStandardCompare: [.caseInsensitive, .diacriticInsensitive, .numeric]
        }
    }
}
