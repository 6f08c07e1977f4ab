import CloudWire
import HTTPTypes

extension HTTPField.Name {
    static let keyID = HTTPField.Name(WireHeader.keyID) ?? .server
    static let signatureDate = HTTPField.Name(WireHeader.signatureDate) ?? .server
    static let signature = HTTPField.Name(WireHeader.signature) ?? .server
}
