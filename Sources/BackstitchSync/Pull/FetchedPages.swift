/// The answer for several zones. A requested zone that is in neither list is read singly.
package struct FetchedPages: Sendable {
    /// The received pages, one of each zone.
    package var pages: [ZonePage]
    /// Zones without room in the answer: they are requested again from the same point.
    package var unanswered: [Int64]

    /// Creates the answer for several zones.
    package init(_ pages: [ZonePage], unanswered: [Int64] = []) { (self.pages, self.unanswered) = (pages, unanswered) }
}
