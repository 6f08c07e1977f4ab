/// Names of the headers with a server-to-server key's signature of a request.
extension WireHeader {
    /// Request: the identifier of the key, 64 hexadecimal digits.
    package static let keyID = "X-Apple-CloudKit-Request-KeyID"
    /// Request: the time of the signature, for instance `2016-01-25T22:15:43Z`.
    package static let signatureDate = "X-Apple-CloudKit-Request-ISO8601Date"
    /// Request: the signature of the key, in base64.
    package static let signature = "X-Apple-CloudKit-Request-SignatureV1"
}
