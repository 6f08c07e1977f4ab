/// The further zones that need work.
package struct FoundZones: Sendable, ExpressibleByArrayLiteral {
    /// The remaining work of each zone.
    package var zones: [ZoneWork]
    /// Whether another process has synced the store since this one last read it; see ``PullStart``.
    package var comesAfterOthers: Bool
    /// Whether objects may be moving from one zone to another.
    package var mayMove: Bool

    /// Creates the result of a look at the zones.
    package init(_ zones: [ZoneWork], comesAfterOthers: Bool = false, mayMove: Bool = false) {
        (self.zones, self.comesAfterOthers, self.mayMove) = (zones, comesAfterOthers, mayMove)
    }

    /// Creates a result without another process and without moves.
    package init(arrayLiteral zones: ZoneWork...) { self.init(zones) }
}
