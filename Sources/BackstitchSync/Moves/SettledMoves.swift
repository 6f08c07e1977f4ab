import Backstitch
import BackstitchSupport
import CloudWire

/// The outcome of a look at the objects that are on their way from one zone to another.
package struct SettledMoves: Sendable {
    /// The changes that it has made here.
    package var applied = AppliedChanges()
    /// The zones that have something to send since.
    package var zones: [ZoneWork] = []
    /// Whether all zones must be read before the rest.
    package var needsReading = false
    /// Whether something is left that a push will let go on.
    package var hasMore = false
    /// Milliseconds until something may go on by itself; nil where nothing waits for that.
    package var wait: Int64?

    /// Nothing.
    package init() {}
}
