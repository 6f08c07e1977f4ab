/// The zones that can be read together, with their starting points.
package struct OpenedZones: Sendable {
    /// The starting points. A requested zone without one is read singly.
    package var cursors: [ZoneCursor]
    /// Whether another process has synced the store since this one last read it, see ``PullStart``.
    package var comesAfterOthers: Bool

    /// Creates the result for opened zones.
    package init(_ cursors: [ZoneCursor], comesAfterOthers: Bool = false) {
        (self.cursors, self.comesAfterOthers) = (cursors, comesAfterOthers)
    }
}
