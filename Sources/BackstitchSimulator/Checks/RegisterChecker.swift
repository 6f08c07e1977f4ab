package import Backstitch

/// Checks registers whose values only grow. After a device has seen or written a value, it must never see a smaller
/// one. At the end every device must see at least the largest promised value.
package struct RegisterChecker {
    /// A value, and the commit of the device's disk at which it was seen.
    private struct Sight {
        let value: Int64
        let commit: Int
    }

    /// The values that each device has seen or written, each larger than the one before.
    private var seen: [String: [ObjectKey: [Sight]]] = [:]
    /// The promised values, by device.
    private var promised: [String: [ObjectKey: [Sight]]] = [:]
    private var attempted: [ObjectKey: Int64] = [:]

    package init() {}

    /// Called when a device has saved a value, or has tried to.
    package mutating func wrote(
        _ device: String, _ key: ObjectKey, _ value: Int64, isKnown: Bool, at commit: Int = 0
    ) {
        attempted[key] = max(attempted[key] ?? .min, value)
        guard isKnown else { return }
        promised[device, default: [:]][key, default: []].append(Sight(value: value, commit: commit))
        saw(device, key, value, commit)
    }

    private mutating func saw(_ device: String, _ key: ObjectKey, _ value: Int64, _ commit: Int) {
        guard value > seen[device]?[key]?.last?.value ?? .min else { return }
        seen[device, default: [:]][key, default: []].append(Sight(value: value, commit: commit))
    }

    /// Takes back the commits of a device after a certain one, because of a power cut. Values that the server has
    /// already had stay promised.
    package mutating func cut(_ device: String, after commit: Int, hasTaken: (ObjectKey, Int64) -> Bool) {
        seen[device] = seen[device]?.mapValues { $0.filter { $0.commit <= commit } }
        for (key, all) in promised[device] ?? [:] {
            promised[device]?[key] = all.filter { $0.commit <= commit || hasTaken(key, $0.value) }
        }
    }

    /// Called when a device has read all registers.
    ///
    /// - Returns: The faults found.
    package mutating func read(_ device: String, _ values: [ObjectKey: Int64], at commit: Int = 0) -> [String] {
        var faults: [String] = []
        for (key, sights) in (seen[device] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let before = sights.last?.value else { continue }
            guard let now = values[key] else {
                faults.append("\(device) does not see register \(key.uuidString.suffix(4)) any more")
                continue
            }
            if now < before {
                faults.append("\(device) sees \(now) in register \(key.uuidString.suffix(4)), and saw \(before) before")
            }
        }
        for (key, value) in values { saw(device, key, value, commit) }
        return faults
    }

    /// Returns the faults of the final values.
    package func end(_ values: [ObjectKey: Int64]) -> [String] {
        let least = promised.values.reduce(into: [ObjectKey: Int64]()) { least, promises in
            for (key, all) in promises {
                for promise in all { least[key] = max(least[key] ?? .min, promise.value) }
            }
        }
        return least.sorted { $0.key < $1.key }.compactMap { key, least in
            let most = attempted[key] ?? least
            guard let value = values[key], value >= least, value <= most else {
                return
                    "register \(key.uuidString.suffix(4)) ends at \(values[key].map(String.init) ?? "nothing"), not in "
                    + "\(least)...\(most)"
            }
            return nil
        }
    }
}
