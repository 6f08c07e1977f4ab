/// A way to compare two values in an order, named like the methods for `NSSortDescriptor`.
///
/// ```swift
/// FetchSortDescriptor("folder.name", comparator: .localizedStandardCompare)
/// ```
/// The order of localized comparators is the same in every locale and every store: letters by ``FetchTextOptions``,
/// without case and marks. Values equal under one descriptor are ordered by the next.
public enum FetchComparator: String, Sendable, Hashable, CaseIterable {
    /// Compares by value, text by its UTF-8 bytes.
    case compare
    /// Compares text without regard to case.
    case caseInsensitiveCompare
    /// Compares text without case and marks.
    case localizedCompare
    /// Compares text without case and marks.
    case localizedCaseInsensitiveCompare
    /// Compares text without case and marks, and numbers in it by value, as file managers sort names.
    case localizedStandardCompare

    /// The folding of text before the comparison.
    public var options: FetchTextOptions {
        switch self {
        case .compare: []
        case .caseInsensitiveCompare: .caseInsensitive
        case .localizedCompare, .localizedCaseInsensitiveCompare: [.caseInsensitive, .diacriticInsensitive]
        case .localizedStandardCompare: [.caseInsensitive, .diacriticInsensitive, .numeric]
        }
    }
}
