/// Waits until a condition holds, and returns whether it did within the limit.
///
/// One try counts as two seconds at most. So a machine that stood still for a minute has used up two seconds of the
/// limit, not all of it, and the condition is tried again.
///
///     #expect(try await eventually { try await device.sync.status.pendingCount == 0 })
public func eventually(
    within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws -> Bool {
    let clock = ContinuousClock()
    var used = Duration.zero
    while used < limit {
        let start = clock.now
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(5))
        used += min(start.duration(to: clock.now), .seconds(2))
    }
    return false
}
