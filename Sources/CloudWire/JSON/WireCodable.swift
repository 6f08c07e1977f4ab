/// A value that can be written as JSON and read from it.
public typealias WireCodable = WireEncodable & WireDecodable
