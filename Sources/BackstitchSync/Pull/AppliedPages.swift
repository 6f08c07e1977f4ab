/// The changes that the pages of several zones have made here, in one transaction.
package struct AppliedPages: Sendable {
    /// The changes by the zones' numbers, in the order of the pages. A zone whose page is not among them is read by
    /// itself.
    package var zones: [(zone: Int64, applied: AppliedChanges)]

    /// Changes.
    package init(_ zones: [(zone: Int64, applied: AppliedChanges)]) { self.zones = zones }
}
