/// Names of the headers in which a server-to-server key signs a request.
extension WireHeader {
    /// Request: the key's ID, 64 hexadecimal digits.
    public static let keyID = "X-Apple-CloudKit-Request-KeyID"
    /// Request: when it was signed, such as `2016-01-25T22:15:43Z`.
    public static let signatureDate = "X-Apple-CloudKit-Request-ISO8601Date"
    /// Request: the signature, in base64.
    public static let signature = "X-Apple-CloudKit-Request-SignatureV1"
}
