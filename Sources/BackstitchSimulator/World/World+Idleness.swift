import BackstitchSync

// A world comes to rest even where something was forgotten, since each device looks at the server some minutes later.
// So nobody may be idle before: nothing under way, nothing waited for, no failure, and yet something to do.
extension World {
    /// Milliseconds for which a device may be idle with a change that is unsent: a process that stands by tells of its
    /// save within half a second.
    private static let longestIdleness: Int64 = 4_000

    /// Milliseconds for which all devices may be idle before everything is everywhere: a long poll whose answer is lost
    /// ends after two minutes.
    private static let longestCommonIdleness: Int64 = 150_000

    /// Milliseconds within which an asset is tried again whose time to wait is over.
    private static let patience: Int64 = 35_000

    /// Whether the world is at rest; fails where nobody does anything although it is not.
    var isSettled: Bool {
        for device in devices { attempt { try judgeIdleness(of: device) } }
        let isQuiet = isQuiet
        if isQuiet { idleSince = nil } else { attempt { try judgeCommonIdleness() } }
        return isQuiet
    }

    private func judgeIdleness(of device: SimulatedDevice) throws {
        guard let process = device.process else { return }
        // A guest's device cannot bring an object to the zone to which its owner moves it.
        let onTheWay = device.guest == nil ? 0 : try device.standing()?.onTheWay ?? 0
        // A process that loses the lead as it begins to encrypt a record anew tells nobody of that, as of no edit.
        let left = device.disk.isShared ? try device.standing()?.encryptedAnew ?? 0 : 0
        let count = try (device.standing()?.waiting ?? 0) - onTheWay - left
        guard process.isIdle, count > 0 else { return process.idleSince = nil }
        let since = process.idleSince ?? scheduler.now
        process.idleSince = since
        guard scheduler.now - since > Self.longestIdleness else { return }
        fail("\(device.name) does nothing, though it has \(count) unsent changes")
    }

    /// The owner's devices may have read less than there is, as what they have sent themselves; but they show the same.
    /// Where a device was not told of a change it learns of it by its next look.
    private func judgeCommonIdleness() throws {
        let isIdle = devices.allSatisfy { $0.process.map { $0.isStandby || $0.isIdle } ?? true }
        guard isIdle else { return idleSince = nil }
        let since = idleSince ?? scheduler.now
        idleSince = since
        guard scheduler.now - since > Self.longestCommonIdleness else { return }
        var images: [Int: (String, StoreImage)] = [:]
        for device in devices where device.database == .private {
            guard let process = device.process, let standing = try device.standing() else { continue }
            let assets = standing.assets - standing.nextTries.count { $0 > scheduler.now - Self.patience }
            if assets > 0 { fail("nobody does anything, though \(device.name) lacks \(assets) assets") }
            if hasUntoldChange { continue }
            let image = try StoreImage(process.coordinator)
            guard let (name, first) = images[device.modelVersion] else {
                images[device.modelVersion] = (device.name, image)
                continue
            }
            guard let difference = first.difference(from: image) else { continue }
            fail("nobody does anything, though \(name) and \(device.name) differ: \(difference)")
        }
    }
}

extension SimulatedDevice.Process {
    fileprivate var isIdle: Bool {
        let status = engine.status
        return status.state == .idle && status.nextTry == nil && running == 0 && held == nil
    }
}
