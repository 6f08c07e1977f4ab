import BackstitchSQL
import CloudWire
package import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The JSON encoding of messages between administrators and servers.
package enum AdministrationJSON {
    /// A failure, as the body of an answer.
    package struct Failure: Codable, Sendable {
        package struct Body: Codable, Sendable {
            package var code: String
            package var message: String
        }

        package var error: Body
    }

    /// Encodes dates as ISO 8601, and sorts the keys.
    package static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    /// Decodes dates from ISO 8601.
    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
