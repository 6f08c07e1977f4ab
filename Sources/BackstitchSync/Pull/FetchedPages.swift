/// The answer about several zones. One that was asked about and is in neither list is read by itself.
package struct FetchedPages: Sendable {
    /// The pages that came, of each zone one.
    package var pages: [ZonePage]
    /// Zones for which the answer had no room: they are asked about again from the same point.
    package var unanswered: [Int64]

    /// Pages.
    package init(_ pages: [ZonePage], unanswered: [Int64] = []) { (self.pages, self.unanswered) = (pages, unanswered) }
}
