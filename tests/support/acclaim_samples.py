"""A small Acclaim skeleton and a motion of it, as text."""

ASF = """# made for a test
:version 1.10
:name TEST
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   begin words that mean nothing here
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name hip
     direction 1 -1 0
     length 2.0
     axis 0 0 0 XYZ
  end
  begin
     id 2
     name femur
     direction 0.34202 -0.939693 0
     length 15
     axis 10 0 20 XYZ
    dof rx ry rz
    limits (-160.0 20.0)
           (-70.0 70.0)
           (-60.0 70.0)
  end
  begin
     id 3
     name tibia
     direction 0.34202 -0.939693 0
     length 12
     axis 0 30 20 ZYX
    dof rx
    limits (5.0 170.0)
  end
:hierarchy
  begin
    root hip
    hip femur
    femur tibia
  end
"""
AMC = """#!OML:ASF H:\\somewhere\\else.ASF
:FULLY-SPECIFIED
:DEGREES
1
root 1 16 3 10 20 30
femur -20 5 7
tibia 40
2
root 1.5 16 3 11 22 33
femur -25 6 8
tibia 50
"""
