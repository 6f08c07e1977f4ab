import Foundation
import TestSupport

/// A part of an answer's JSON.
struct GoldenAnswer {
    private let value: Any?

    init(_ bytes: [UInt8]) { value = try? JSONSerialization.jsonObject(with: Data(bytes)) }

    private init(value: Any?) { self.value = value }

    subscript(key: String) -> GoldenAnswer { GoldenAnswer(value: (value as? [String: Any])?[key]) }

    subscript(place: Int) -> GoldenAnswer {
        let array = value as? [Any]
        return GoldenAnswer(value: array.flatMap { $0.indices.contains(place) ? $0[place] : nil })
    }

    /// - Throws: when it is no text.
    var text: String {
        get throws {
            guard let text = value as? String else { throw TestFailure("no text: \(String(describing: value))") }
            return text
        }
    }

    /// The object as JSON.
    var json: String {
        get throws {
            guard let value else { throw TestFailure("nothing is there") }
            let bytes = try JSONSerialization.data(
                withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}
