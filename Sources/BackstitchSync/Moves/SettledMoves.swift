import Backstitch
import BackstitchSupport
import CloudWire

/// The results of one pass over the moving objects.
package struct SettledMoves: Sendable {
    /// The changes made in the store by the pass.
    package var applied = AppliedChanges()
    /// The zones that now have something to send.
    package var zones: [ZoneWork] = []
    /// Whether all zones must be read before the rest can go on.
    package var needsReading = false
    /// Whether something is left to do after a push.
    package var hasMore = false
    /// Milliseconds until something may go on by itself; nil if nothing waits.
    package var wait: Int64?

    /// Results without any changes.
    package init() {}
}
