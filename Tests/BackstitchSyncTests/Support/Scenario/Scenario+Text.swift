import Backstitch
import BackstitchSupport
import BackstitchSync
import CloudWire
import Foundation
import TestSupport
import Testing

// Devices and zones as text, one line for each object or record. A line has the type, the number in its key, and all
// values except nil, by name: `Note 1 folder ->2 rank 9 tags ->3 ->4 title 'T2'`.
extension Scenario {
    /// Expects exactly these lines, in any order, of the zone and of every device.
    func expect(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await expect(lines: lines, sourceLocation: sourceLocation)
    }

    func expect(lines: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await compare(lines, "the zone", zone().all().map { $0.line(version: 1) }, sourceLocation)
        try await expect(on: devices, lines: lines, sourceLocation: sourceLocation)
    }

    /// Expects exactly these lines, in any order, of some devices.
    func expect(
        on devices: [SyncDevice], _ lines: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await expect(on: devices, lines: lines, sourceLocation: sourceLocation)
    }

    func expect(
        on devices: [SyncDevice], lines: [String], _ comment: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        for (number, device) in devices.enumerated() {
            try await compare(lines, "device \(number) \(comment)", device.lines(), sourceLocation)
        }
    }

    /// Expects exactly these lines of the zone, in any order. If a record's change tag differs from earlier looks, the
    /// number of its version follows its own number: `Note 1 v2 title 'T2'`.
    func expectZone(_ lines: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let found = try await zone().all().map { record in
            let version = versions.withLock { versions in
                let tag = record.recordChangeTag ?? ""
                var tags = versions[record.recordName] ?? []
                if tags.last != tag { tags.append(tag) }
                versions[record.recordName] = tags
                return tags.count
            }
            return record.line(version: version)
        }
        compare(lines, "the zone", found, sourceLocation)
    }

    private func compare(_ expected: [String], _ place: String, _ found: [String], _ location: SourceLocation) {
        let missing = expected.filter { !found.contains($0) }, unexpected = found.filter { !expected.contains($0) }
        guard !missing.isEmpty || !unexpected.isEmpty || expected.count != found.count else { return }
        let difference = missing.map { "- \($0)" } + unexpected.sorted().map { "+ \($0)" }
        Issue.record("\(place) differs:\n\(difference.joined(separator: "\n"))", sourceLocation: location)
    }
}

extension SyncDevice {
    fileprivate func lines() async throws -> [String] {
        try await read { context in
            try context.model.entities.flatMap { entity in
                try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)).map { object in
                    var fields = try entity.columns.map { ($0.name, try Self.stored(object, $0)?.text) }
                    for property in entity.ownedLinks {
                        let targets: Set<ManagedObject> = object[property.name]
                        fields.append((property.name, arrows(targets.map(\.key.uuidString))))
                    }
                    return line(entity.name, object.key.uuidString, fields)
                }
            }
        }
    }
}

extension WireRecord {
    fileprivate func line(version: Int) -> String {
        let name = version > 1 ? "\(short(recordName)) v\(version)" : short(recordName)
        return BackstitchSyncTests.line(recordType ?? "", name, fields.map { ($0, $1?.text) })
    }
}

private func line(_ type: String, _ name: String, _ fields: [(String, String?)]) -> String {
    let present = fields.sorted { $0.0 < $1.0 }.compactMap { name, text in text.map { "\(name) \($0)" } }
    return ([type, short(name)] + present).joined(separator: " ")
}

/// The number that a key was made of (``TestSupport/key(_:)``); another name as it is.
private func short(_ name: String) -> String {
    let prefix = key(0).uuidString.prefix(24)
    return name.hasPrefix(prefix) ? UInt64(name.dropFirst(24), radix: 16).map(String.init) ?? name : name
}

/// Links; nil where there are none.
private func arrows(_ names: [String]) -> String? {
    names.isEmpty ? nil : names.sorted().map { "->\(short($0))" }.joined(separator: " ")
}

extension Value {
    fileprivate var text: String? {
        switch self {
        case .null: nil
        case .bool(let isTrue): isTrue ? "1" : "0"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .date(let date): "at \(date.milliseconds)"
        case .string(let text): "'\(text)'"
        case .decimal(let number): "'\(number)'"
        case .uuid(let uuid): "'\(uuid.uuidString)'"
        case .uri(let url): "'\(url.absoluteString)'"
        case .data(let data): "bytes \(data.count)"
        case .asset(let asset): "asset \(asset.size)"
        case .file(let file): "asset \(file.reference.size)"
        case .object(let id): arrows([id.key.uuidString])
        }
    }
}

extension WireValue {
    fileprivate var text: String? {
        switch self {
        case .int64(let number): "\(number)"
        case .double(let number): "\(number)"
        case .timestamp(let time): "at \(time)"
        case .string(let text): "'\(text)'"
        case .bytes(let data): "bytes \(data.count)"
        case .asset(let asset): "asset \(asset.size)"
        case .reference(let target): arrows([target.recordName])
        case .referenceList(let targets): arrows(targets.map(\.recordName))
        case .unknownList: nil
        default: "\(self)"
        }
    }
}
