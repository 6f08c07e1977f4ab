/// The zones beside the main one in which there is something to do.
package struct FoundZones: Sendable, ExpressibleByArrayLiteral {
    /// The work that is left in each.
    package var zones: [ZoneWork]
    /// Whether another process has synced the store since this one last looked, see ``PullStart``.
    package var comesAfterOthers: Bool
    /// Whether objects may be on their way from one zone to another.
    package var mayMove: Bool

    /// Found zones.
    package init(_ zones: [ZoneWork], comesAfterOthers: Bool = false, mayMove: Bool = false) {
        (self.zones, self.comesAfterOthers, self.mayMove) = (zones, comesAfterOthers, mayMove)
    }

    /// Zones, after nobody else.
    package init(arrayLiteral zones: ZoneWork...) { self.init(zones) }
}
