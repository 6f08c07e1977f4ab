import BackstitchSQL
import CloudWire
package import Foundation
import HTTPTypes
import Hummingbird
import Logging

/// The form of what administrators and servers tell each other.
package enum AdministrationJSON {
    /// A failure, as the body of an answer.
    package struct Failure: Codable, Sendable {
        package struct Body: Codable, Sendable {
            package var code: String
            package var message: String
        }

        package var error: Body
    }

    /// Dates are ISO 8601.
    package static var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return encoder
    }

    /// Dates are ISO 8601.
    package static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }
}
