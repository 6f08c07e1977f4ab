/// The zones that can be read together, and from where.
package struct OpenedZones: Sendable {
    /// The points at which they stand. A zone that was asked for and is not among them is read by itself.
    package var cursors: [ZoneCursor]
    /// Whether another process has synced the store since this one last looked, see ``PullStart``.
    package var comesAfterOthers: Bool

    /// Opened zones.
    package init(_ cursors: [ZoneCursor], comesAfterOthers: Bool = false) {
        (self.cursors, self.comesAfterOthers) = (cursors, comesAfterOthers)
    }
}
