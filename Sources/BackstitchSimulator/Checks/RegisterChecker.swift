package import Backstitch

/// Reads of registers that only ever grow: what a device has seen or written it must see ever after, and in the end
/// everybody sees the largest value that was promised.
package struct RegisterChecker {
    private var seen: [String: [ObjectKey: Int64]] = [:]
    private var promised: [ObjectKey: Int64] = [:]
    private var attempted: [ObjectKey: Int64] = [:]

    package init() {}

    /// A device has saved a value, or tried to.
    package mutating func wrote(_ device: String, _ key: ObjectKey, _ value: Int64, isKnown: Bool) {
        attempted[key] = max(attempted[key] ?? .min, value)
        guard isKnown else { return }
        promised[key] = max(promised[key] ?? .min, value)
        seen[device, default: [:]][key] = max(seen[device]?[key] ?? .min, value)
    }

    /// A device has read all registers.
    ///
    /// - Returns: What is wrong with that.
    package mutating func read(_ device: String, _ values: [ObjectKey: Int64]) -> [String] {
        var faults: [String] = []
        for (key, before) in (seen[device] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let now = values[key] else {
                faults.append("\(device) does not see register \(key.uuidString.suffix(4)) any more")
                continue
            }
            if now < before {
                faults.append("\(device) sees \(now) in register \(key.uuidString.suffix(4)), and saw \(before) before")
            }
        }
        for (key, value) in values { seen[device, default: [:]][key] = value }
        return faults
    }

    /// What is wrong with the values in the end.
    package func end(_ values: [ObjectKey: Int64]) -> [String] {
        promised.sorted { $0.key < $1.key }.compactMap { key, least in
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
