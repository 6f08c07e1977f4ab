package import Backstitch
import Foundation

/// A trace of one push of an object: one digest for each field.
package typealias PushTrace = [String: FieldDigest]

/// The digests of pushed updates, kept until the answer comes. After a crash or a lost answer, they identify this
/// device's own change in the server's record. An object has several traces if several answers in a row were lost.
struct InFlightPushes: Sendable, Equatable {
    private var traces: [ObjectKey: [PushTrace]] = [:]

    /// The number of lost answers in a row with a trace; older ones are forgotten.
    private static let limit = 8

    var isEmpty: Bool { traces.isEmpty }

    subscript(key: ObjectKey) -> [PushTrace] {
        get { traces[key] ?? [] }
        set { traces[key] = newValue.isEmpty ? nil : newValue }
    }

    mutating func add(_ trace: PushTrace, for key: ObjectKey) {
        guard !self[key].contains(trace) else { return }
        self[key] = (self[key] + [trace]).suffix(Self.limit)
    }

    mutating func remove(_ keys: some Sequence<ObjectKey>) {
        for key in keys { traces[key] = nil }
    }
}

extension InFlightPushes: SyncPropertyValue {
    /// One line for each trace, `key name digest name digest …`.
    init(storedForm: Data) throws {
        for line in String(decoding: storedForm, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            guard let key = words.first.flatMap(ObjectKey.init(uuidString:)), words.count % 2 == 1 else {
                throw BackstitchError(.storeFailure, "the store's note of pushes under way is damaged: \(line)")
            }
            var trace: PushTrace = [:]
            for index in stride(from: 1, to: words.count, by: 2) {
                trace[words[index]] = UInt64(words[index + 1], radix: 16).map(FieldDigest.init(bits:))
            }
            self[key].append(trace)
        }
    }

    var storedForm: Data? {
        guard !isEmpty else { return nil }
        let lines = traces.sorted { $0.key < $1.key }.flatMap { key, traces in
            traces.map { trace in
                let fields = trace.sorted { $0.key < $1.key }.flatMap { [$0.key, String($0.value.bits, radix: 16)] }
                return ([key.uuidString] + fields).joined(separator: " ")
            }
        }
        return Data(lines.joined(separator: "\n").utf8)
    }
}

extension JournalReading {
    func inFlightPushes() throws -> InFlightPushes { try value(of: .inFlight) ?? InFlightPushes() }
}
