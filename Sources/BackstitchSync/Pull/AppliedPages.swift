/// The changes that the pages of several zones have made here, in one transaction.
package struct AppliedPages: Sendable {
    /// The changes by the zones' numbers, in the order of the pages. A zone without an entry is read singly.
    package var zones: [(zone: Int64, applied: AppliedChanges)]

    /// Creates the result of several pages.
    package init(_ zones: [(zone: Int64, applied: AppliedChanges)]) { self.zones = zones }
}
