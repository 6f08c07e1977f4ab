/// A value with both directions.
public typealias WireCodable = WireEncodable & WireDecodable
